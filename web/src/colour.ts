/** Diverging purple to orange (PuOr): purple below zero, orange above, as in Tiltmeter's figures. */

import { interpolateRgbBasis } from "d3-interpolate";

// ColorBrewer's PuOr through a light neutral; on a dark page through a dark one, so that strength is light.
const LIGHT = ["#4b2174", "#7560a8", "#aea5cf", "#dbdae9", "#f3f2ef", "#fbdcb0", "#f0a548", "#bd660e", "#7f3b08"];
const DARK = ["#cbb9ff", "#a58be0", "#7663a8", "#463f63", "#2b2f36", "#5c4526", "#a06a1c", "#de9433", "#ffc877"];

const STEPS = 256;
const table = (colours: string[]): string[] => {
  const mix = interpolateRgbBasis(colours);
  return Array.from({ length: STEPS + 1 }, (_, i) => mix(i / STEPS));
};
const tables = { light: table(LIGHT), dark: table(DARK) };

export type Theme = keyof typeof tables;

/** A colour for each value; the scale reaches from −reach to reach, and values beyond take its ends. */
export function colours(reach: number, theme: Theme): (value: number) => string {
  const shades = tables[theme];
  return (value) => {
    const t = Math.max(-1, Math.min(1, value / reach));
    return shades[Math.round(((t + 1) / 2) * STEPS)];
  };
}

/** How far a stretched scale reaches: to the strongest value, upwards to a tenth; at least a tenth. */
export function reach(values: Iterable<number>, stretched: boolean, fixed = 1): number {
  if (!stretched) return fixed;
  let most = 0;
  for (const v of values) if (Number.isFinite(v) && Math.abs(v) > most) most = Math.abs(v);
  return Math.max(0.1, Math.ceil(most * 10 - 1e-9) / 10);
}

/** Whether an interval leaves the direction of the score open. */
export const uncertain = (low: number, high: number): boolean => !(low > 0 || high < 0);
