/** Elements of the page, in few words. Text is always set as text, never as markup. */

export type Child = Node | string | null | undefined | false;

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "value") (element as HTMLInputElement).value = String(value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((c): c is Node | string => Boolean(c)));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  fill(element, attributes, children);
  return element;
}

/** A button; `label` is its name for those who do not see its sign. */
export function button(text: Child, run: (event: Event) => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", click: run, ...attributes }, text);
}

/** Other children; what had the keyboard's focus keeps it, or its like gets it. */
export function replace(element: Element, ...children: Child[]): void {
  const focused = element.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
  const before = focused ? reached(element) : [];
  element.replaceChildren(...children.filter((c): c is Node | string => Boolean(c)));
  if (!focused || document.activeElement === focused) return;
  const after = reached(element);
  const like = focused.isConnected ? focused : after.find((e) => called(e) === called(focused))
    ?? (after.length === before.length ? after[before.indexOf(focused)] : undefined);
  like?.focus({ preventScroll: true });
}

const reached = (element: Element): HTMLElement[] => [...element.querySelectorAll<HTMLElement>("button, select, input, a")];
const called = (e: HTMLElement): string => `${e.tagName} ${e.getAttribute("aria-label") ?? (e.closest("label") ?? e).textContent ?? ""}`;

/** A sentence for screen readers. */
export function announce(text: string): void {
  const live = document.getElementById("live");
  if (live && live.textContent !== text) live.textContent = text;
}

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export const theme = (): "light" | "dark" => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

/** The width of text in the page's font. */
export const textWidth = (() => {
  let context: CanvasRenderingContext2D | null = null;
  return (text: string, font: string): number => {
    context ??= document.createElement("canvas").getContext("2d");
    if (!context) return text.length * 7;
    context.font = font;
    return context.measureText(text).width;
  };
})();
