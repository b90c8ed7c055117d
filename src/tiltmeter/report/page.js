"use strict";
// Tables sort by the column whose header is pressed; without this script they are whole, in the order of the run.
const value = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
};
const compare = (a, b) => {
  if (typeof a !== "number" || typeof b !== "number") {
    return String(a).localeCompare(String(b), document.documentElement.lang, { numeric: true });
  }
  return a - b;
};
const sort = (table, header, column) => {
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  const body = table.tBodies[0];
  const known = [];
  const unknown = []; // what has no number stays last either way
  for (const row of body.rows) {
    const of = value(row, column);
    (Number.isNaN(of) || of === "" ? unknown : known).push([of, row]);
  }
  known.sort(([a], [b]) => (ascending ? compare(a, b) : compare(b, a)));
  body.append(...known.concat(unknown).map(([, row]) => row));
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
};
for (const table of document.querySelectorAll("table.sorts")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    const axis = header.querySelector(".axis");
    button.append(...[...header.childNodes].filter((node) => node !== axis));
    button.addEventListener("click", () => sort(table, header, column));
    header.prepend(button);
  });
}
