// Everything that is shown goes in as text, never as markup: names and answers are anybody's.

const $ = (id) => document.getElementById(id);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "click") made.addEventListener("click", value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== ""));
  return made;
}

function data(id) {
  let parsed;
  return () => (parsed ??= JSON.parse($(id).textContent));
}

const facts = data("facts");
const interfaces = data("interfaces");
const trials = data("trial-data");

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

const UNITS = { count: "", ratio: "", percent: " %", multiple: " ×", points: "" };

function shown(value, unit = "count") {
  if (value === undefined || value === null) return "–";
  const text = value.toLocaleString("en", { maximumSignificantDigits: 6 }).replace("-", "−");
  return text + (UNITS[unit] ?? ` ${unit}`);
}

function table(caption, columns, rows) {
  const cell = (content, place) => {
    const { name, kind } = columns[place];
    const label = place ? { "data-label": name } : { scope: "row" };
    return element(place ? "td" : "th", { class: kind ?? null, ...label }, content);
  };
  return element(
    "table",
    { class: "stack" },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, columns.map(({ name, kind }) =>
      element("th", { scope: "col", class: kind ?? null }, name)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell)))),
  );
}

const code = (text) => element("code", {}, text);
const muted = (text) => element("p", { class: "muted" }, text);

// The address follows what is shown, so that it can be passed on; some viewers of files forbid that.
function putAddress(hash) {
  try {
    history.replaceState(null, "", hash);
  } catch {
    // The page works without.
  }
}

for (const hidden of document.querySelectorAll("[data-scripted]")) hidden.hidden = false;
