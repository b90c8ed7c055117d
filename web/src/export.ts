/** Taking a view along: its numbers as CSV, its figure as SVG or PNG. */

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** RFC 4180; what a spreadsheet would read as a formula is quoted with an apostrophe. */
export function csv(header: readonly string[], rows: Iterable<readonly (string | number | null)[]>): string {
  const cell = (value: string | number | null): string => {
    if (value === null || (typeof value === "number" && !Number.isFinite(value))) return "";
    if (typeof value === "number") return String(Number(value.toPrecision(7)));
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export const saveCsv = (name: string, text: string): void => save(`${name}.csv`, new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));

const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-family",
  "font-weight", "font-style", "text-anchor", "dominant-baseline", "paint-order", "stroke-linejoin", "visibility",
];

/** A figure of the page as it is drawn: what the page's style gives is written into it. */
function drawn(figure: SVGSVGElement): string {
  const copy = figure.cloneNode(true) as SVGSVGElement;
  const originals = [figure, ...figure.querySelectorAll<SVGElement>("*")];
  [copy, ...copy.querySelectorAll<SVGElement>("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    if (/^(svg|g|text|tspan|circle|rect|path|line|polygon)$/.test(element.tagName)) for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value) element.setAttribute(name, value);
    }
    if (style.display === "none") element.setAttribute("display", "none");
    if (style.transform && style.transform !== "none") element.setAttribute("transform", style.transform); // where a dot stands
    for (const name of ["class", "tabindex", "role", "aria-label", "style"]) element.removeAttribute(name);
  });
  return copy.innerHTML;
}

/** A figure of the page as a document of its own, with its legend below: scales, and boxes of keys. */
export function standalone(figure: SVGSVGElement, title: string, legend: readonly Element[] = []): string {
  const { width, height } = figure.getBoundingClientRect();
  return framed(drawn(figure), width, height, title, figure.getAttribute("viewBox"), legend);
}

const KEY = 20; // the height of a line of keys

/** A scale as it is, and each key as its mark and its words, in a line as long as the figure. */
function below(legend: readonly Element[], width: number, ink: string): { inside: string; height: number } {
  const parts: string[] = [];
  let y = 8;
  for (const one of legend) {
    if (one instanceof SVGSVGElement) {
      const box = one.viewBox.baseVal;
      parts.push(`<svg x="8" y="${y}" width="${box.width}" height="${box.height}" overflow="visible">${drawn(one)}</svg>`);
      y += box.height + 8;
      continue;
    }
    let x = 8;
    for (const key of one.children) {
      const mark = key.querySelector("svg");
      const text = key.textContent ?? "";
      const room = 20 + text.length * 6.4 + 12;
      if (x > 8 && x + room > width) [x, y] = [8, y + KEY];
      if (mark) {
        const side = mark.width.baseVal.value;
        parts.push(`<svg x="${x}" y="${y}" width="${side}" height="${side}" viewBox="${mark.getAttribute("viewBox") ?? `0 0 ${side} ${side}`}">${drawn(mark)}</svg>`);
      }
      parts.push(`<text x="${x + (mark ? 20 : 0)}" y="${y + 12}" font-size="12" fill="${ink}">${escaped(text)}</text>`);
      x += room;
    }
    y += KEY;
  }
  return { inside: parts.join(""), height: legend.length ? y : 0 };
}

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

/** An SVG document with the page's background and a title, in which the drawing says where it is from. */
export function framed(
  inside: string, width: number, height: number, title: string, viewBox: string | null = null, legend: readonly Element[] = [],
): string {
  const back = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() || "#fff";
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim() || "#000";
  const family = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const w = Math.max(width, 240), top = 32;
  const keys = below(legend, w, ink);
  const whole = height + top + keys.height;
  const head = title.length * 6.4 > w ? `${title.slice(0, Math.floor(w / 6.4) - 1)}…` : title;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${whole}" viewBox="0 0 ${w} ${whole}">`
    + `<title>${escaped(title)}</title><rect width="100%" height="100%" fill="${back}"/>`
    + `<text x="8" y="21" font-family="${family}" font-size="13" font-weight="600" fill="${ink}">${escaped(head)}</text>`
    + `<svg y="${top}" width="${width}" height="${height}" viewBox="${viewBox ?? `0 0 ${width} ${height}`}" `
    + `font-family="${family}">${inside}</svg><g transform="translate(0 ${height + top})" font-family="${family}">${keys.inside}</g></svg>`;
}

export const saveSvg = (name: string, document: string): void => save(`${name}.svg`, new Blob([document], { type: "image/svg+xml" }));

/** The figure as pixels, two for each of the page's. */
export async function savePng(name: string, document: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([document], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = reject;
      image.src = url;
    });
    // A canvas has at most so many pixels a side.
    const scale = Math.min(2, 16_000 / Math.max(image.width, image.height));
    const canvas = window.document.createElement("canvas");
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (blob) save(`${name}.png`, blob);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A name for files: letters, digits and hyphens. */
export const fileName = (...parts: string[]): string =>
  ["tiltmeter", ...parts].join("-").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 100);

