import { Desk } from "./ask.mjs";
import "./clip.mjs";
import { listen } from "./keys.mjs";

const root = document.querySelector("[data-desk]");
const desk = root ? new Desk(root) : null;
const clip = () => document.querySelector("qa-clip");
const help = document.querySelector("[data-help]");

listen({ clip, desk, help });
document.querySelector("[data-open-help]")?.addEventListener("click", () => help.showModal());
for (const button of document.querySelectorAll("[data-scripted]")) button.hidden = false;

// A link was followed to hear this; going back or reloading was not, and YouTube is not called before a click.
const [visit] = performance.getEntriesByType("navigation");
const shown = clip();
if (visit?.type === "navigate" && shown?.getAttribute("kind") === "audio" && shown.hasAttribute("bounded")) shown.play();
