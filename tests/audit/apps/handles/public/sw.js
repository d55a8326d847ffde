// Keeps the files of the app, and leaves all else to the network.

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

async function fromCache(request) {
  const cache = await caches.open("assets");
  const known = await cache.match(request);
  if (known) return known;
  const response = await fetch(request);
  await cache.put(request, response.clone());
  return response;
}

addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin === location.origin && pathname.startsWith("/assets/")) event.respondWith(fromCache(event.request));
});
