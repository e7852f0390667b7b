// Puts the chosen theme on the page before anything is painted, so that a dark studio does not flash.
try {
  document.documentElement.dataset.theme = localStorage.getItem("crosspoint.theme") ?? "system";
} catch {
  // A browser that keeps nothing has the system's theme.
}
