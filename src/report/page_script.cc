#include "report/report_page.h"

namespace lockstep::report {

const std::string_view kPageScript = R"js("use strict";
(() => {
  // Tables that sort: by the numbers that cells carry, else by their text.
  const key = cell => {
    const number = cell.querySelector("[data-value]");
    const text = cell.textContent.trim();
    if (number) return Number(number.dataset.value);
    return text !== "" && !isNaN(text) ? Number(text) : text;
  };
  const compare = (a, b, up) => {  // what has no number comes last, either way
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.setAttribute("aria-sort", "none");
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", "sort by " + head.textContent);
      head.append(" ", button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows];
        rows.sort((a, b) => compare(key(a.cells[column]), key(b.cells[column]), up));
        body.append(...rows);
      });
    });
  }

  // Configurations that can be hidden in all figures.
  const toggles = document.getElementById("toggles");
  toggles.hidden = false;
  toggles.addEventListener("change", event => {
    for (const group of document.querySelectorAll("[data-series]")) {
      if (group.dataset.series !== event.target.value) continue;
      const panel = group.closest("#steps svg");
      (panel || group).classList.toggle("off", !event.target.checked);
    }
  });

  // What a mark stands for, under the mouse or, with the arrow keys, from mark to mark.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  let at = null;
  const leave = () => {
    if (at) at.classList.remove("at");
    at = null;
    tip.hidden = true;
  };
  const show = mark => {
    leave();
    at = mark;
    mark.classList.add("at");
    tip.textContent = mark.dataset.title;
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    const left = Math.min(box.right + 8, window.innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (above > 0 ? above : box.bottom + 8) + "px";
  };
  for (const svg of document.querySelectorAll("#figures svg")) {
    const marks = [];
    for (const title of svg.querySelectorAll("title")) {
      const mark = title.parentElement;
      mark.dataset.title = title.textContent;
      title.remove();
      marks.push(mark);
      mark.addEventListener("pointerenter", () => show(mark));
      mark.addEventListener("pointerleave", leave);
    }
    if (marks.length === 0) continue;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("blur", leave);
    svg.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") leave();
      if (!step) return;
      event.preventDefault();
      const shown = marks.filter(mark => !mark.closest(".off"));
      if (shown.length === 0) return;
      const index = shown.indexOf(at);
      const next = index < 0 ? (step > 0 ? 0 : -1) : index + step;
      show(shown[(next + shown.length) % shown.length]);
    });
  }

  // On paper all that is folded is open.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
)js";

}  // namespace lockstep::report
