// Starts the studio, and shows a failure on the page and in the console.
import init from "./app.js";

const notice = document.getElementById("boot");
try {
  await init({ module_or_path: new URL("app_bg.wasm", import.meta.url) });
  notice.remove();
} catch (error) {
  notice.textContent = `The studio cannot start: ${error.message}. It needs a browser with WebAssembly. Try to reload the page.`;
  notice.setAttribute("role", "alert");
  throw error;
}

// The pages for cabling also work without a connection. Storing waits until this page has loaded.
if (/^\/d\/[^/]+\/(cabling|node\/\d+)$/.test(location.pathname)) {
  const workers = navigator.serviceWorker;
  workers?.register("/worker.js", { scope: "/d/" }).then(async () => {
    const { active } = await workers.ready;
    active.postMessage(location.pathname);
  }, () => {});
}
