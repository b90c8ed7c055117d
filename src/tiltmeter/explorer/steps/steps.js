/** What debiasing does to chosen words: one picture a step, and the words move from one to the next. */

const EDGE = 40, LINE = 15, LASTS = 450, SHAPES = ["●", "■", "▲"];
let WIDTH = 960, HEIGHT = 560;
const of = (id) => document.getElementById(id);
const svg = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};
let found = null, step = 0, placed = [], marks = new Map(), lines = [], turn = 0, asked = 0;

async function ask(path) {
  const response = await fetch(path);
  const body = await response.json();
  if (!response.ok) throw new Error([body.error.message, body.error.hint].filter(Boolean).join(" "));
  return body;
}

function options(id, values, chosen) {
  of(id).replaceChildren(...values.map((value) => new Option(value, value, false, value === chosen)));
}

function query() {
  const words = of("words").value.split(",").map((word) => word.trim()).filter(Boolean);
  const made = new URLSearchParams(["bias", "method", "subspace"].map((id) => [id, of(id).value]));
  for (const word of words) made.append("word", word);
  return made;
}

async function show() {
  const mine = ++asked, wanted = query();
  say("Computing …");
  try {
    const answer = await ask(`/api/v1/steps?${wanted}`);
    if (mine !== asked) return;
    const address = new URLSearchParams(wanted);
    if (step) address.set("step", step + 1);
    history.replaceState(null, "", `?${address}`);
    found = answer;
    step = Math.min(step, found.steps.length - 1);
    draw();
  } catch (error) {
    if (mine === asked) say(error.message, true);
  }
}

function say(text, wrong = false) {
  of("said").textContent = text;
  of("said").classList.toggle("wrong", wrong);
}

/** Where points and names stand in each step: a name goes beside its point, and down to where none is yet. */
function place() {
  const ends = found.steps.flatMap((one) => Object.values(one.places));
  const reach = [0, 1].map((axis) => 1.15 * Math.max(...ends.map((end) => Math.abs(end[axis])), 0.01));
  const x = (value) => WIDTH / 2 + (value / reach[0]) * (WIDTH / 2 - EDGE - WIDTH / 16);
  const y = (value) => HEIGHT / 2 - 10 - (value / reach[1]) * (HEIGHT / 2 - EDGE - 10);
  return found.steps.map((one) => {
    const at = new Map(Object.entries(one.places).map(([word, [along, across]]) => [word, { x: x(along), y: y(across) }]));
    const boxes = [...at.values()].map((point) => ({ left: point.x - 5, right: point.x + 5, y: point.y, point }));
    for (const [word, point] of [...at].sort((a, b) => a[1].y - b[1].y)) {
      const wide = 7.5 * word.length, free = (left, height) =>
        boxes.every((box) => box.point === point || box.right < left || box.left > left + wide || Math.abs(box.y - height) >= LINE);
      let best = null;
      for (let away = 0; away < 40 && !best; away += 1) {
        const out = point.x < WIDTH / 2 - 1 ? -1 : 1;
        for (const [side, down] of [[out, away], [-out, away], [out, -away], [-out, -away]]) {
          const left = side > 0 ? point.x + 12 : point.x - 12 - wide, height = point.y + down * LINE / 2;
          const inside = left > 0 && left + wide < WIDTH && height > 10 && height < HEIGHT - EDGE;
          if (inside && free(left, height)) { best = { left, height, side }; break; }
        }
      }
      best ??= { left: point.x + 12, height: point.y, side: 1 };
      boxes.push({ left: best.left, right: best.left + wide, y: best.height, point: null });
      Object.assign(point, { label: best.left + (best.side > 0 ? 0 : wide), height: best.height, anchor: best.side > 0 ? "start" : "end" });
    }
    return at;
  });
}

function draw() {
  const [first, second] = found.classes, plot = of("plot");
  WIDTH = Math.max(320, Math.min(960, plot.clientWidth));
  HEIGHT = Math.max(400, Math.round(WIDTH * 0.58));
  plot.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  placed = place();
  const axis = (x, y, text, anchor) => Object.assign(svg("text", { x, y, class: "axis", "text-anchor": anchor }), { textContent: text });
  plot.replaceChildren(
    svg("line", { x1: WIDTH / 2, x2: WIDTH / 2, y1: 10, y2: HEIGHT - EDGE, class: "rule" }),
    axis(WIDTH - EDGE, HEIGHT - 14, found.classes.length === 2 ? `${first} →` : `more ${first} →`, "end"),
    axis(EDGE, HEIGHT - 14, found.classes.length === 2 ? `← ${second}` : `← less ${first}`, "start"),
    ...(WIDTH > 500 ? [axis(WIDTH / 2, HEIGHT - 14, "along the bias direction", "middle")] : []),
  );
  lines = found.pairs.flatMap((pair) => pair.slice(1).map((word, place) => ({ ends: [pair[place], word], line: svg("line", { class: "pair" }) })));
  plot.append(...lines.map((one) => one.line));
  marks = new Map(Object.keys(found.steps[0].places).map((word) => {
    const side = found.sides[word], kind = side === undefined ? "neutral" : `class-${side % 3}`;
    const shape = side === undefined ? svg("circle", { r: 4, class: kind })
      : side % 3 === 0 ? svg("circle", { r: 6, class: kind })
        : side % 3 === 1 ? svg("rect", { width: 11, height: 11, class: kind }) : svg("path", { d: "M0 -7 L7 6 L-7 6 Z", class: kind });
    const name = Object.assign(svg("text", {}), { textContent: word }), leader = svg("line", { class: "leader" });
    plot.append(leader, shape, name);
    return [word, { shape, name, leader }];
  }));
  put(placed[step]);
  of("model").textContent = `${found.model}: ${found.bias.toLowerCase()}`;
  of("steps").replaceChildren(...found.steps.map((one, number) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: one.title });
    button.addEventListener("click", () => go(number));
    return button;
  }));
  const lost = found.lost.length ? ` Not in the vocabulary: ${found.lost.join(", ")}.` : "";
  const whole = found.whole ? "This is what the method does to the whole file."
    : `The method is fitted to ${found.words.toLocaleString("en")} words of the file here; tiltmeter debias fits it to all.`;
  of("note").textContent = "Up and down is the direction across the bias in which these words differ most. "
    + `${found.classes.map((name, side) => `${SHAPES[side % 3]} ${name}`).join(", ")}; lines join words of a set. `
    + `${whole}${lost}`;
  table();
  tell();
}

function table() {
  const row = (head, cells, kind) => {
    const made = document.createElement("tr");
    const first = Object.assign(document.createElement("th"), { textContent: head, scope: kind === "th" ? "col" : "row" });
    made.append(first, ...cells.map((text) => Object.assign(document.createElement(kind), { textContent: text })));
    return made;
  };
  document.querySelector("thead").replaceChildren(row("Word", found.steps.map((one) => one.title), "th"));
  document.querySelector("tbody").replaceChildren(...Object.keys(found.steps[0].places).map((word) =>
    row(word, found.steps.map((one) => (Math.abs(one.places[word][0]) < 5e-7 ? "0.000" : one.places[word][0].toFixed(3))), "td")));
}

function put(at) {
  for (const [word, { shape, name, leader }] of marks) {
    const { x, y, label, height, anchor } = at.get(word);
    shape.setAttribute("transform", `translate(${x} ${y})${shape.tagName === "rect" ? " translate(-5.5 -5.5)" : ""}`);
    for (const [key, value] of [["x", label], ["y", height], ["text-anchor", anchor]]) name.setAttribute(key, value);
    const ends = { x1: x, y1: y, x2: label + (anchor === "start" ? -2 : 2), y2: height };
    for (const [key, value] of Object.entries(ends)) leader.setAttribute(key, value);
  }
  for (const { ends, line } of lines) {
    const [a, b] = ends.map((word) => at.get(word));
    for (const [key, value] of Object.entries({ x1: a.x, y1: a.y, x2: b.x, y2: b.y })) line.setAttribute(key, value);
  }
}

function tell() {
  const one = found.steps[step];
  say(`${one.title}. ${one.said}`);
  [...of("steps").children].forEach((button, number) => {
    if (number === step) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  of("back").disabled = step === 0;
  of("next").disabled = step === found.steps.length - 1;
}

function go(number) {
  if (!found || number < 0 || number >= found.steps.length || number === step) return;
  const from = placed[step], to = placed[number], mine = ++turn, begun = performance.now();
  step = number;
  tell();
  const address = new URLSearchParams(location.search);
  address.set("step", step + 1);
  history.replaceState(null, "", `?${address}`);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return void put(to);
  const frame = (now) => {
    if (mine !== turn) return;
    const part = Math.min(1, (now - begun) / LASTS), eased = part * part * (3 - 2 * part);
    const between = (a, b) => a + (b - a) * eased;
    put(new Map([...to].map(([word, end]) => {
      const start = from.get(word);
      const names = Object.fromEntries(["x", "y", "label", "height"].map((key) => [key, between(start[key], end[key])]));
      return [word, { ...names, anchor: end.anchor }];
    })));
    if (part < 1) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

const given = new URLSearchParams(location.search);
step = Math.max(0, Number.parseInt(given.get("step") ?? "1", 10) - 1 || 0);
try {
  const offered = await ask("/api/v1/offered");
  options("bias", offered.biases, given.get("bias") ?? "gender");
  options("method", offered.methods, given.get("method") ?? "hard");
  options("subspace", offered.subspaces, given.get("subspace") ?? "pca");
  of("words").value = given.getAll("word").join(", ");
  await show();
} catch (error) {
  say(error.message, true);
}
for (const id of ["bias", "method", "subspace"]) of(id).addEventListener("change", show);
of("show").addEventListener("click", show);
of("words").addEventListener("keydown", (event) => { if (event.key === "Enter") show(); });
of("back").addEventListener("click", () => go(step - 1));
of("next").addEventListener("click", () => go(step + 1));
let resized = 0;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(() => { if (found) draw(); }, 150);
});
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
  if (event.key === "ArrowRight") go(step + 1);
  if (event.key === "ArrowLeft") go(step - 1);
});
