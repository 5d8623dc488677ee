#include "report/report_page.h"

namespace lockstep::report {

const std::string_view kPageTips =
    R"js(  // A box beside what it speaks of, which is read aloud as well.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  const tell = (text, box) => {
    tip.textContent = text;
    tip.hidden = false;
    const left = Math.min(box.right + 8, window.innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (above > 0 ? above : box.bottom + 8) + "px";
  };

  // What a mark stands for, under the mouse or, with the arrow keys, from mark to mark.
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
    tell(mark.dataset.title, mark.getBoundingClientRect());
  };
  for (const svg of document.querySelectorAll("#figures figure:not(#steps) .panels > svg")) {
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
)js";

}  // namespace lockstep::report
