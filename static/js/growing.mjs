export const MORE = "<!-- more -->";

/** The page as it comes: all that was sent so far, whenever that is whole up to a mark, and at the end. */
export async function* growing(body) {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let told = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      if (done) break;
      const whole = text.lastIndexOf(MORE) + MORE.length;
      if (whole >= MORE.length && whole > told) {
        told = whole;
        yield text.slice(0, whole);
      }
    }
    yield text;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Gives `old` what `fresh` has more, at its end; what is there already stays as it is, with focus and selection. */
export function grow(old, fresh) {
  const last = old.lastChild;
  const same = last && fresh.childNodes[old.childNodes.length - 1];
  const more = [...fresh.childNodes].slice(old.childNodes.length);
  if (same && last.nodeType === same.nodeType) {
    if (last.nodeType === 1) grow(last, same);
    else last.data = same.data;
  }
  old.append(...more);
}
