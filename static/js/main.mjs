import { Desk } from "./ask.mjs";
import "./clip.mjs";
import { countDown } from "./countdown.mjs";
import { listen } from "./keys.mjs";

const root = document.querySelector("[data-desk]");
const desk = root ? new Desk(root) : null;
if (!desk) countDown(document.body);
const clip = () => document.querySelector("qa-clip");
const help = document.querySelector("[data-help]");

listen({ clip, desk, help });
document.querySelector("[data-open-help]")?.addEventListener("click", () => help.showModal());
for (const button of document.querySelectorAll("[data-scripted]")) button.hidden = false;

// A link to an answer was followed to hear it; going back or reloading was not, and YouTube is not called unasked.
const [visit] = performance.getEntriesByType("navigation");
const answer = document.querySelector("[data-desk] qa-clip[kind=audio]");
if (visit?.type === "navigate") answer?.play();
