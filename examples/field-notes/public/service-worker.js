/**
 * Lets the app start without a connection: uses the network first, and the cache filled by `main.tsx` without a
 * connection.
 */
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  event.respondWith(fetch(request).catch(async () => (await caches.match(pathname)) ?? Response.error()));
});
