// Service worker of the pages for cabling, under /d/. Online, everything but hashed assets comes from the server, so an update
// is never hidden. Offline, it answers with what it stored.
const CACHE = "crosspoint-cabling-1";
const PAGE = /^\/d\/([^/]+)\/(cabling|node\/\d+)$/;
const DATA = /^\/api\/designs\/[^/]+(\/cabling)?$/;
/** Milliseconds after which a weak connection counts as none. */
const PATIENCE = 5000;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// The first visit came before this worker: stores what it needs.
self.addEventListener("message", (event) => {
  const id = PAGE.exec(event.data)?.[1];
  if (!id) return;
  const data = ["", "/cabling"].map((part) => fresh(`/api/designs/${id}${part}`, {}));
  event.waitUntil(Promise.allSettled([page(event.data), ...data]));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith("/assets/")) event.respondWith(asset(request));
  else if (PAGE.test(pathname)) event.respondWith(page(pathname));
  else if (DATA.test(pathname)) event.respondWith(fresh(pathname, request.headers));
});

/** A hashed asset, which never changes. */
async function asset(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** The page of the server; offline, the last one. It is the same for all nodes. */
async function page(pathname) {
  const cache = await caches.open(CACHE);
  try {
    const response = await ask(pathname, {});
    if (response.ok) await keep(cache, response.clone());
    return response;
  } catch {
    return (await cache.match("/d/")) ?? Response.error();
  }
}

/** Stores a page with its assets, then forgets those of earlier versions. */
async function keep(cache, response) {
  const names = [...(await response.clone().text()).matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1]);
  const known = (await cache.keys()).map((request) => new URL(request.url).pathname);
  await cache.addAll(names.filter((name) => !known.includes(name)));
  await cache.put("/d/", response);
  const old = known.filter((name) => name.startsWith("/assets/") && !names.includes(name));
  await Promise.all(old.map((name) => cache.delete(name)));
}

/** Data of the server; offline, the last ones. */
async function fresh(pathname, headers) {
  const cache = await caches.open(CACHE);
  try {
    const response = await ask(pathname, headers);
    if (response.ok) await cache.put(pathname, response.clone());
    return response;
  } catch {
    return (await cache.match(pathname)) ?? Response.error();
  }
}

/** Asks the server. No answer, a late one, and that of a proxy without a server are errors. */
async function ask(pathname, headers) {
  const response = await fetch(pathname, { headers, signal: AbortSignal.timeout(PATIENCE) });
  if (response.status >= 502) throw new Error(`status ${response.status}`);
  return response;
}
