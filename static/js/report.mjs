const told = new Set();

/** Tells the site, once a clip and code, that a recording does not play, so that the index can learn of it. */
export function report(clip, code) {
  const address = document.body.dataset.feedback;
  const key = `${clip.getAttribute("recording")} ${code}`;
  if (!address || told.has(key)) return;
  told.add(key);
  const body = {
    kind: "playback",
    person: clip.getAttribute("person"),
    video_id: clip.getAttribute("recording"),
    code,
    at: Number(clip.getAttribute("start")),
  };
  fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    keepalive: true,
  }).catch(() => {});
}
