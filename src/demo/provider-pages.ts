/**
 * The pages of the demo's identity provider: the sign-in form and the error page. No script, and nothing loaded from
 * elsewhere.
 */

/** `refused` is the unknown name that was entered. */
export function signInPage(accounts: readonly string[], refused?: string): string {
  const message =
    refused === undefined
      ? ''
      : `<p class="wrong" role="alert">There is nobody named “${escaped(refused)}” here. Try one of the names below.</p>`;
  return html(
    'Demo sign-in',
    `<p>This is the demo’s identity provider. Be one of <b>${accounts.join('</b>, <b>')}</b>; any password will do.</p>
${message}
<form method="post">
  <label>Name <input name="login" autocomplete="username" autofocus required value="${escaped(refused ?? '')}"></label>
  <label>Password <input name="password" type="password" autocomplete="current-password"></label>
  <button type="submit">Sign in</button>
</form>`,
  );
}

export function errorPage(message: string): string {
  return html('Demo sign-in', `<p class="wrong" role="alert">${escaped(message)}</p>`);
}

function html(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 26rem; margin: 10vh auto; padding: 0 1rem; }
  label { display: block; margin: 1rem 0; }
  input { display: block; box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; }
  button { padding: .5rem 1.5rem; font: inherit; }
  .wrong { color: light-dark(#a00, #f99); }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
