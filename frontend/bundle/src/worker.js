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
  page(event, event.data);
  for (const part of ["", "/cabling"]) fresh(event, `/api/designs/${id}${part}`, {});
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith("/assets/")) event.respondWith(asset(request));
  else if (PAGE.test(pathname)) event.respondWith(page(event, pathname));
  else if (DATA.test(pathname)) event.respondWith(fresh(event, pathname, request.headers));
});

/** A hashed asset, which never changes. */
async function asset(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** The page of the server; offline, the last one. It is the same for all nodes. */
function page(event, pathname) {
  return fresh(event, pathname, {}, "/d/", storePage);
}

/** The answer of the server; offline, the last one under this name. */
function fresh(event, pathname, headers, name = pathname, store = (cache, response) => cache.put(name, response)) {
  const answer = ask(pathname, headers);
  // Storing must not delay the answer.
  event.waitUntil(
    answer.then(async (response) => response.ok && store(await caches.open(CACHE), response.clone())).catch(() => {}),
  );
  const copy = answer.then((response) => response.clone());
  return copy.catch(async () => (await caches.match(name)) ?? Response.error());
}

/** Stores a page after its assets, then forgets those of earlier versions. */
async function storePage(cache, response) {
  const names = [...(await response.clone().text()).matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1]);
  const known = (await cache.keys()).map((request) => new URL(request.url).pathname);
  await cache.addAll(names.filter((name) => !known.includes(name)));
  await cache.put("/d/", response);
  const old = known.filter((name) => name.startsWith("/assets/") && !names.includes(name));
  await Promise.all(old.map((name) => cache.delete(name)));
}

/** Asks the server. No answer, a late one, and that of a proxy without a server are errors. */
async function ask(pathname, headers) {
  const response = await fetch(pathname, { headers, signal: AbortSignal.timeout(PATIENCE) });
  if (response.status >= 502) throw new Error(`status ${response.status}`);
  return response;
}
