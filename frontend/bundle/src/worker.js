// Service worker of the pages for cabling, under /d/. Online, everything comes from the server, so an update is never hidden;
// hashed assets are in the browser's own cache. Offline, it answers with what it stored.
const CACHE = "crosspoint-cabling-1";
const PAGE = /^\/d\/([^/]+)\/(cabling|node\/\d+)$/;
const DATA = /^\/api\/designs\/[^/]+(\/cabling)?$/;
/** A page without the content of a node, and its name in the cache. */
const PLAIN_PAGE = "/design";
const STORED_PAGE = "/d/";
/** Milliseconds after which a weak connection counts as none, if there is a stored answer. */
const PATIENCE = 5000;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// A page has started: stores what the next one needs. The requests of a first visit came before this worker.
self.addEventListener("message", (event) => {
  const { page, assets } = event.data;
  const id = PAGE.exec(page)?.[1];
  if (id) event.waitUntil(storeAll(id, assets));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith("/assets/")) event.respondWith(answered(fetch(request), pathname));
  else if (PAGE.test(pathname)) event.respondWith(answered(ask(pathname, {}), STORED_PAGE));
  else if (DATA.test(pathname)) {
    const answer = ask(pathname, request.headers);
    event.waitUntil(answer.then((response) => keep(pathname, response.clone())).catch(() => {}));
    event.respondWith(answered(answer.then((response) => response.clone()), pathname));
  }
});

/** The answer of the server; without one, or if it is late, the stored one. */
async function answered(answer, name) {
  const late = new Promise((done) => setTimeout(done, PATIENCE)).then(() => caches.match(name));
  return Promise.race([answer, late.then((known) => known ?? answer)]).catch(
    async () => (await caches.match(name)) ?? Response.error(),
  );
}

/** Asks the server. No answer and that of a proxy without a server are errors. */
async function ask(pathname, headers) {
  const response = await fetch(pathname, { headers });
  if (response.status >= 502) throw new Error(`status ${response.status}`);
  return response;
}

/** Stores an answer about a design, or forgets a design that the server does not have any more. */
async function keep(pathname, response) {
  if (response.status !== 404 && response.status !== 410) return put(pathname, response);
  const design = pathname.replace(/\/cabling$/, "");
  const cache = await caches.open(CACHE);
  await Promise.all([design, `${design}/cabling`].map((name) => cache.delete(name)));
}

async function put(name, response) {
  if (response.ok) await (await caches.open(CACHE)).put(name, response);
}

/** Stores a page after its data, the assets that it names and those that it has loaded, then forgets the assets of earlier versions. */
async function storeAll(id, loaded) {
  for (const path of [`/api/designs/${id}`, `/api/designs/${id}/cabling`]) {
    if (!(await caches.match(path))) await keep(path, await ask(path, {}));
  }
  const response = await ask(PLAIN_PAGE, {});
  if (!response.ok) return;
  const named = [...(await response.clone().text()).matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1]);
  const names = [...new Set([...named, ...loaded])];
  const cache = await caches.open(CACHE);
  const known = (await cache.keys()).map((request) => new URL(request.url).pathname);
  await cache.addAll(names.filter((name) => !known.includes(name)));
  await cache.put(STORED_PAGE, response);
  const old = known.filter((name) => name.startsWith("/assets/") && !names.includes(name));
  await Promise.all(old.map((name) => cache.delete(name)));
}
