// Applies the theme before the first paint, so that a dark studio does not flash.
try {
  document.documentElement.dataset.theme = localStorage.getItem("crosspoint.theme") ?? "system";
} catch {
  // Without storage, the system's theme applies.
}
