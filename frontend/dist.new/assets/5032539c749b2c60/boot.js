// Starts the studio, and shows a failure on the page and in the console.
import init from "./app.js";

// The pages for cabling also work without a connection. They say when everything that they need has loaded.
const cabling = new Promise((done) => addEventListener("cabling", done, { once: true }));

const notice = document.getElementById("boot");
try {
  await init({ module_or_path: new URL("app_bg.wasm", import.meta.url) });
  notice.remove();
} catch (error) {
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
