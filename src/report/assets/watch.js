"use strict";
const element = (id) => document.getElementById(id);
function write(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}
function list(parent, tag, texts) {
  parent.replaceChildren(...texts.map((text) => {
    const child = document.createElement(tag);
    child.textContent = text;
    return child;
  }));
}
let drawn = document.body.dataset.drawn, ran = false;
async function refresh() {
  let state;
  try {
    state = await (await fetch("state.json")).json();
  } catch {
    write("state", "lockstep watch does not answer");
    return;
  }
  document.title = state.title;
  write("name", state.name);
  for (const [id, text] of Object.entries(state.texts)) write(id, text);
  element("progress").max = Math.max(state.expected, 1);
  element("progress").value = state.done;
  list(element("problems"), "li", state.problems);
  element("rows").replaceChildren(...state.rows.map((row) => {
    const line = document.createElement("tr");
    list(line, "td", row);
    return line;
  }));
  if (state.running || ran) element("speeds").src = "speeds.svg?" + Date.now();
  ran = state.running !== null;
  if (state.drawn !== drawn) {
    element("throughput").src = "throughput.svg?" + state.drawn;
    element("narrow").srcset = "narrow.svg?" + state.drawn;
  }
  drawn = state.drawn;
}
setInterval(refresh, 2000);
