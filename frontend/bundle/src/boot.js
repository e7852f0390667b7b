// Starts the studio, and shows a failure on the page and in the console. The studio removes what the page shows until then. Each step
// is a task of its own: compiled code, the instance, the page.

/** Milliseconds after which the studio loads even if the page has not been painted: in the background it never is. */
const PATIENCE = 1000;

// What the page shows first, with its picture, comes before the studio.
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const painted = new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const pictures = [...document.images].map((image) => image.decode().catch(() => {}));
await Promise.race([Promise.all([painted, ...pictures]), pause(PATIENCE)]);

// The pages for cabling also work without a connection. They say when everything that they need has loaded.
const cabling = new Promise((done) => addEventListener("cabling", done, { once: true }));

try {
  const compiled = WebAssembly.compileStreaming(fetch(new URL("app_bg.wasm", import.meta.url)));
  const [code, { default: init }] = await Promise.all([compiled, import("./app.js"), import("./parts.js")]);
  await pause(0);
  await init({ module_or_path: code });
} catch (error) {
  const notice = document.getElementById("boot-state");
  notice.textContent = `The studio cannot start: ${error.message}. It needs a browser with WebAssembly. Try to reload the page.`;
  notice.setAttribute("role", "alert");
  throw error;
}

cabling.then(async () => {
  const workers = navigator.serviceWorker;
  await workers?.register("/worker.js", { scope: "/d/" });
  const { active } = await workers.ready;
  const loaded = performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname);
  active.postMessage({ page: location.pathname, assets: loaded.filter((path) => path.startsWith("/assets/")) });
}).catch(() => {});
