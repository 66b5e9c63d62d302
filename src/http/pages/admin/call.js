/** Calls from the pages of the administration to their service. */

/**
 * Calls an operation of the administration and returns its `results`.
 * @throws Error with the description, and the code as `code`
 */
export async function call(method, path, { body, csrfToken } = {}) {
  const headers = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (csrfToken !== undefined) headers['x-csrf-token'] = csrfToken;
  const response = await fetch(`api/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  const code = Number(json.errCode ?? 0);
  if (code !== 0) throw Object.assign(new Error(json.description), { code });
  return json.results;
}

export async function pageFacts() {
  return (await fetch('page.json')).json();
}

/** The element with the id. */
export function part(id) {
  return document.getElementById(id);
}

export function showProblem(error) {
  part('problem').textContent = error instanceof Error ? error.message : String(error);
}

/** The form's values, without empty fields. */
export function typed(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
}

/** Runs the form's work when it is submitted, one at a time, and shows errors. */
export function onSubmit(form, work) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    button.disabled = true;
    part('problem').textContent = '';
    try {
      await work(typed(form));
    } catch (error) {
      showProblem(error);
    } finally {
      button.disabled = false;
    }
  });
}
