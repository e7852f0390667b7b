// Faults of the page, one line each. Contrast as in WCAG 2.2, 1.4.3 (level AA).
(() => {
  const faults = [];
  const seen = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getClientRects().length > 0;
  const show = (e) => e.outerHTML.replace(/\s+/g, " ").slice(0, 110);

  // Names.
  if (!document.documentElement.lang) faults.push("the page names no language");
  if (!document.title.trim()) faults.push("the page has no title");
  if (document.querySelectorAll("main, [role=main]").length !== 1) faults.push("the page has not exactly one main part");
  if (![...document.querySelectorAll("h1")].some(seen)) faults.push("the page has no h1");
  const said = (e) => [e.ariaLabel, e.title, e.alt, e.innerText,
    ...(e.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText)]
    .some((text) => text?.trim());
  for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (seen(e) && !e.labels?.length && !e.ariaLabel && !e.getAttribute("aria-labelledby")) faults.push(`no label: ${show(e)}`);
  }
  for (const e of document.querySelectorAll("button, a[href], [role=button], [role=tab], summary")) {
    if (seen(e) && !said(e)) faults.push(`no name: ${show(e)}`);
  }
  for (const e of document.querySelectorAll("img, svg, canvas")) {
    const hidden = e.closest("[aria-hidden=true]") || e.getAttribute("role") === "presentation" || e.getAttribute("alt") === "";
    const named = said(e) || e.querySelector?.(":scope > title") || e.closest("[aria-label], button, a");
    if (seen(e) && !hidden && !named) faults.push(`a picture without words: ${show(e)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) faults.push(`the id “${id}” is used twice`);
  for (const e of document.querySelectorAll("[aria-describedby], [aria-labelledby], [aria-controls]")) {
    for (const attribute of ["aria-describedby", "aria-labelledby"]) {
      for (const id of (e.getAttribute(attribute) ?? "").split(" ").filter(Boolean)) {
        if (!document.getElementById(id)) faults.push(`${attribute} points at no “${id}”: ${show(e)}`);
      }
    }
  }

  // Contrast. A canvas turns any CSS colour into red, green, blue and opacity.
  const ink = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      ink.clearRect(0, 0, 1, 1);
      ink.fillStyle = colour;
      ink.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const paper = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null; // a picture: for people to judge
      layers.push(rgba(style.backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    const dark = getComputedStyle(document.documentElement).colorScheme.trim() === "dark";
    return layers.reverse().reduce((below, top) => over(top, below), dark ? [18, 18, 18, 1] : [255, 255, 255, 1]);
  };
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const judged = new Set();
  for (let node = texts.nextNode(); node && judged.size < 4000; node = texts.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || judged.has(e) || !seen(e) || e.closest("svg, :disabled, [aria-disabled=true], [inert]")) continue;
    judged.add(e);
    const style = getComputedStyle(e);
    const below = paper(e);
    if (!below) continue;
    const [a, b] = [light(over(rgba(style.color), below)), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5) - 0.01) faults.push(`contrast ${ratio.toFixed(2)}: “${node.data.trim().slice(0, 40)}” in ${show(e)}`);
  }
  return [...new Set(faults)];
})()
