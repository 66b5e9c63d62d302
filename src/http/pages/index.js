/** The first page: what is running and, with the demo, where to sign in. */
import { pageFacts, part, showProblem } from './service.js';

pageFacts().then(show, showProblem);

function show({ version, demo }) {
  part('version').textContent = version;
  // The page already has the link to the first company.
  for (const { id, name } of demo?.companies.slice(1) ?? []) {
    const link = document.createElement('a');
    link.href = `sign-in?company=${id}`;
    link.textContent = 'sign in';
    const item = document.createElement('li');
    item.append(link, ` to company ${id}, “${name}”`);
    part('companies').append(item);
  }
  part('demo').hidden = demo === null;
}
