// #trial=…&step=3, #compare=app@1..3 and #sources=app@3 lead to what the script shows.

function visit(part, heading) {
  $(part).scrollIntoView();
  $(heading)?.focus({ preventScroll: true });
}

function followAddress() {
  const asked = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  if (asked.has("trial") && viewer) {
    const found = showTrial(asked.get("trial"));
    $("trial-missing").hidden = found;
    if (found && asked.has("step")) goToIndex(Number(asked.get("step")) - 1);
    visit("trials", found ? "trial-title" : "trial-missing");
  }
  const pair = /^(.+)@(\d+)\.\.(\d+)$/.exec(asked.get("compare") ?? "");
  if (pair && showComparison(pair[1], Number(pair[2]), Number(pair[3]))) visit("compare", "compare-app");
  if (asked.has("sources")) showSources(asked.get("sources"));
}

addEventListener("hashchange", followAddress);
followAddress();
