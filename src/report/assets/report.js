"use strict";
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

  // A box beside what it speaks of, which is read aloud as well.
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

  // Steps: what is dragged over fills the window. `from` and `to` are shares of the whole series.
  const zoomable = view => {
    const panel = view.ownerSVGElement;
    const outline = view.querySelector("polyline");
    const { width, height } = view.viewBox.baseVal;
    const steps = Number(view.dataset.steps);
    let from = 0, to = 1;
    const look = (low, high) => {
      const span = Math.min(1, Math.max(high - low, 5 / steps));
      from = Math.max(0, Math.min(low, 1 - span));
      to = from + span;
      view.setAttribute("viewBox", `${from * width} 0 ${span * width} ${height}`);
      panel.querySelector("[data-end=first]").textContent = Math.round(from * steps);
      panel.querySelector("[data-end=last]").textContent = Math.round(to * steps);
      for (const tick of panel.querySelectorAll("[data-share]")) {
        const at = (tick.dataset.share - from) / span;
        tick.setAttribute("visibility", at < 0 || at > 1 ? "hidden" : "visible");
        tick.setAttribute("transform", `translate(${Number(view.getAttribute("x")) + at * width} 0)`);
      }
    };

    // The axis may be broken: what is above the break has another scale.
    const [high, top, lower, upper] =
      ["high", "top", "break", "resume"].map(name => Number(view.dataset[name]));
    const milliseconds = y => y < lower
      ? high + (1 - y / upper) * (top - high)
      : (height - y) / (height - lower) * high;

    // A point of the line is a step, or two are the lowest and the highest of a column.
    const text = share => {
      const line = outline.points;  // thousands of them, which are read when they are asked for
      const ms = i => milliseconds(line.getItem(i).y);
      const each = line.numberOfItems === steps;
      const columns = each ? steps : line.numberOfItems / 2;
      const column = Math.min(columns - 1, Math.floor(share * columns));
      const first = Math.floor(column * steps / columns);
      const last = Math.floor((column + 1) * steps / columns) - 1;
      const note = first < view.dataset.leftOut ? ", not measured" : "";
      if (each) return `step ${first}: ${ms(column).toPrecision(4)} ms${note}`;
      const [least, most] = [2 * column, 2 * column + 1].map(i => ms(i).toPrecision(4));
      return `steps ${first} to ${last}: ${least} to ${most} ms${note}`;
    };

    const sheet = document.createElementNS(panel.namespaceURI, "rect");
    for (const name of ["x", "y", "width", "height"]) {
      sheet.setAttribute(name, view.getAttribute(name));
    }
    sheet.classList.add("sheet");
    const chosen = sheet.cloneNode();
    chosen.setAttribute("class", "chosen");
    chosen.setAttribute("width", 0);
    panel.append(chosen, sheet);
    view.querySelector("title")?.remove();

    const place = event => {
      const box = sheet.getBoundingClientRect();
      return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    };
    const of_all = share => from + share * (to - from);
    let start = null;
    sheet.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      start = place(event);
      sheet.setPointerCapture(event.pointerId);
    });
    sheet.addEventListener("pointermove", event => {
      const here = place(event);
      tell(text(of_all(here)), new DOMRect(event.clientX, event.clientY, 8, 8));
      if (start === null) return;
      chosen.setAttribute("x", Number(view.getAttribute("x")) + Math.min(start, here) * width);
      chosen.setAttribute("width", Math.abs(here - start) * width);
    });
    const release = () => {
      start = null;
      chosen.setAttribute("width", 0);
    };
    sheet.addEventListener("pointerup", event => {
      const here = place(event);
      const dragged = start !== null && Math.abs(here - start) * width > 4;
      if (dragged) look(of_all(Math.min(start, here)), of_all(Math.max(start, here)));
      release();
    });
    sheet.addEventListener("pointercancel", release);
    sheet.addEventListener("pointerleave", leave);
    sheet.addEventListener("dblclick", () => look(0, 1));

    panel.setAttribute("tabindex", "0");
    panel.addEventListener("blur", leave);
    panel.addEventListener("keydown", event => {
      const quarter = (to - from) / 4;
      const by = {
        "+": [quarter, -quarter], "-": [-2 * quarter, 2 * quarter],
        ArrowLeft: [-quarter, -quarter], ArrowRight: [quarter, quarter], 0: [-1, 1],
      }[event.key];
      if (!by || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      look(from + by[0], to + by[1]);
      tell(`steps ${Math.round(from * steps)} to ${Math.round(to * steps)}`,
           panel.getBoundingClientRect());
    });
  };
  const views = document.querySelectorAll("#steps svg svg");
  views.forEach(zoomable);
  if (views.length > 0) {
    document.querySelector("#steps figcaption").append(
      " Drag across a part to enlarge it, double-click to see all; or press +, - and 0, and the " +
      "arrow keys to move.");
  }
})();
