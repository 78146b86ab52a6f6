/** The keys that people know from other players. None is taken while something is typed. */
export function listen({ clip, desk, help }) {
  const player = {
    " ": (it) => it.toggle(),
    k: (it) => it.toggle(),
    j: (it) => it.skip(-10),
    l: (it) => it.skip(10),
    ArrowLeft: (it) => it.skip(-5),
    ArrowRight: (it) => it.skip(5),
    "<": (it) => it.faster(-1),
    ">": (it) => it.faster(1),
  };
  const page = {
    n: () => desk?.go(1),
    p: () => desk?.go(-1),
    "/": () => desk?.focus(),
    "?": () => help.showModal(),
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (event.key === " " && event.target.closest?.("button, a, summary")) return;
    const act = page[event.key] ?? (clip() && player[event.key]);
    if (!act) return;
    event.preventDefault();
    act(clip());
  });
}
