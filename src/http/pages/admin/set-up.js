/** Creates the first administrator. The link's secret follows the `#` of the address and is removed from it at once. */
import { call, onSubmit, pageFacts, part, showProblem } from './call.js';

const secret = location.hash.slice(1);
// It must not stay in the address bar, the history, or a copied link.
history.replaceState(null, '', location.pathname);

if (secret === '') {
  part('form').hidden = true;
  showProblem('The secret is missing from the address. Open the whole link that the service showed at its start.');
}

pageFacts()
  .then(({ passwordLengthMin }) => {
    part('least').textContent = `At least ${passwordLengthMin} characters; a few words are easier to keep in mind.`;
    part('password').minLength = passwordLengthMin;
  })
  .catch(showProblem);

onSubmit(part('form'), async ({ again, ...input }) => {
  if (again !== input.password) throw new Error('The two passwords differ.');
  await call('POST', 'set-up', { body: { secret, ...input } });
  location.replace('./');
});
