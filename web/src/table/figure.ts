/** A table as an SVG document: what is on the canvas, for papers and slides. */

import { uncertain } from "../colour";
import { escaped, framed } from "../export";
import { square } from "./draw";
import type { Group } from "./view";

const CELL = 20, HEAD = 132, TOP = 120, APART = 12, HEADING = 18;
const SLANT = 80; // room for the last column's slanted name

export function tableFigure(columns: readonly string[], groups: readonly Group[], colour: (value: number) => string, title: string, legend: readonly Element[]): string {
  const style = getComputedStyle(document.documentElement);
  const [ink, tile, faint] = ["--ink", "--tile", "--faint"].map((name) => style.getPropertyValue(name).trim());
  const parts = columns.map((word, c) =>
    `<text transform="translate(${HEAD + c * CELL + CELL / 2 + 4} ${TOP - 6}) rotate(-60)" font-size="11" fill="${ink}">${escaped(word)}</text>`);
  let y = TOP;
  for (const { label, table, rows } of groups) {
    if (groups.length > 1) {
      parts.push(`<text x="${HEAD - 8}" y="${y + 12}" font-size="11" font-weight="600" text-anchor="end" fill="${ink}">${escaped(label)}</text>`);
      y += HEADING;
    }
    for (const word of rows) {
      parts.push(`<text x="${HEAD - 8}" y="${y + CELL / 2 + 4}" font-size="11" text-anchor="end" fill="${ink}">${escaped(word)}</text>`);
      columns.forEach((target, c) => {
        const v = table.of(target, word);
        const x = HEAD + c * CELL;
        parts.push(`<rect x="${x + 1}" y="${y + 1}" width="${CELL - 2}" height="${CELL - 2}" fill="${tile}"/>`);
        if (!v || Number.isNaN(v.score)) {
          parts.push(`<path d="M${x + 7} ${y + 7}l6 6m0 -6l-6 6" stroke="${faint}"/>`);
          return;
        }
        const small = uncertain(v.low, v.high);
        const [dx, dy, size] = square(CELL, CELL, small);
        parts.push(`<rect x="${x + dx}" y="${y + dy}" width="${size}" height="${size}" fill="${colour(v.score)}"${small ? ` stroke="${faint}" stroke-width="0.75"` : ""}><title>${escaped(target)} — ${escaped(word)}: ${v.score.toFixed(2)} (${v.low.toFixed(2)} to ${v.high.toFixed(2)})</title></rect>`);
      });
      y += CELL;
    }
    y += APART;
  }
  return framed(parts.join(""), HEAD + columns.length * CELL + SLANT, y + 4, title, null, legend);
}
