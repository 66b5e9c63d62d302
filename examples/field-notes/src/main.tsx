/** Starts the app, and stores it in the browser's cache, so that it also starts without a connection. */
import { AnswersProvider } from '@rowhouse/client/react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { answers, start } from './data.ts';
import './style.css';

const root = createRoot(document.getElementById('app') as HTMLElement);
const show = (error: Error | null) =>
  root.render(
    <AnswersProvider answers={answers}>
      <App signInError={error} />
    </AnswersProvider>,
  );
start().then(
  () => show(null),
  (error: Error) => show(error),
);

async function keepApp(): Promise<void> {
  await navigator.serviceWorker.register('/service-worker.js');
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
  const own = loaded.filter(({ origin, pathname }) => origin === location.origin && /\.(js|css)$/.test(pathname));
  const cache = await caches.open('field-notes');
  await cache.addAll(['/', ...own.map(({ pathname }) => pathname)]);
  document.documentElement.dataset.kept = '';
}
keepApp().catch((error) => console.warn('The app will not start without a connection.', error));
