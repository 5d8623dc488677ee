#include "report/report_page.h"

namespace lockstep::report {

const std::string_view kPageScript =
    R"js(  // Tables that sort: by the numbers that cells carry, else by their text.
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
  for (const toggles of document.querySelectorAll("#toggles")) {
    toggles.hidden = false;
    toggles.addEventListener("change", event => {
      for (const group of document.querySelectorAll("[data-series]")) {
        if (group.dataset.series !== event.target.value) continue;
        const panel = group.closest("#steps .panels > svg");
        (panel || group).classList.toggle("off", !event.target.checked);
      }
    });
  }

  // On paper all that is folded is open.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
)js";

}  // namespace lockstep::report
