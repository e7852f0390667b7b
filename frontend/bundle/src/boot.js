// Starts the studio; a failure is said on the page, where a person looks, and in the console.
import init from "./app.js";

const notice = document.getElementById("boot");
try {
  await init({ module_or_path: new URL("app_bg.wasm", import.meta.url) });
  notice.remove();
} catch (error) {
  notice.textContent = `The studio could not start: ${error.message}. It needs a browser with WebAssembly; a reload may help.`;
  notice.setAttribute("role", "alert");
  throw error;
}
