/** The page that shows the OpenAPI documents in Swagger UI. */
import { frameHtml, type Site } from './frame.ts';

/** Paths below `/docs/`, served from the package. */
const fromPackage = ['swagger-ui-bundle.js', 'swagger-ui.css'];

export function viewerFiles(): (readonly [path: string, url: URL])[] {
  return fromPackage.map((name) => [name, new URL(import.meta.resolve(`swagger-ui-dist/${name}`))] as const);
}

export function viewerHtml(site: Site): string {
  const body = `
      <main id="pageText" class="viewer" tabindex="-1">
        <h1>API reference</h1>
        <form id="which">
          <fieldset>
            <legend>Interface</legend>
            <label><input type="radio" name="which" value="client"> Clients</label>
            <label><input type="radio" name="which" value="version"> Clients, with the tables of one application version</label>
            <label><input type="radio" name="which" value="administration"> Administration</label>
          </fieldset>
          <fieldset id="version" hidden>
            <legend>Application version</legend>
            <label>Company <input name="companyId" inputmode="numeric" pattern="[0-9]+"></label>
            <label>Application <input name="appId"></label>
            <label>Version <input name="appVersion"></label>
            <label>Token of a developer <input name="token" type="password" autocomplete="off"></label>
            <button type="submit">Show</button>
          </fieldset>
        </form>
        <p class="quiet">The document itself: <a id="document" href="${site.base}/openapi.json">openapi.json</a></p>
        <p id="problem" class="wrong" role="alert"></p>
        <div id="viewer"></div>
      </main>`;
  const styles = ['swagger-ui.css', 'api.css'];
  return frameHtml(site, { title: 'API reference', body, scripts: ['swagger-ui-bundle.js', 'api.js'], styles });
}
