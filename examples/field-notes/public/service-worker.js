/** Lets the app start without a connection: the network first, and what `main.tsx` has put into the cache where there is none. */
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  event.respondWith(fetch(request).catch(async () => (await caches.match(pathname)) ?? Response.error()));
});
