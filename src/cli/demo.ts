/** `rowhouse demo`: helps to try the demo. */
import { demoCompanies } from '../demo/company.ts';
import { walkDemoSignIn } from '../demo/sign-in.ts';
import { line } from './answer.ts';
import { action, type Command, id, optional, text } from './command.ts';

const logins = demoCompanies.flatMap(({ id: companyId, people }) => people.map(({ login }) => ({ login, companyId })));

export const demoCommand: Command = {
  name: 'demo',
  summary: 'Commands for the demo that "rowhouse serve --demo" starts.',
  actions: [
    action({
      name: 'token',
      summary: 'Signs a person in at the running demo as a browser would, and prints the user token, nothing else.',
      argument: { name: 'person', meaning: `One of ${logins.map(({ login }) => login).join(', ')}.` },
      flags: {
        company: optional(id("The company; the person's own when absent.")),
        url: optional(text('<address>', 'The address of the service; by default host and port from the settings.')),
      },
      async run({ person, company, url }, { settings }) {
        const login = String(person);
        const { port, basePath, publicUrl } = settings;
        const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
        const companyId = company ?? logins.find((one) => one.login === login)?.companyId ?? 1;
        const info = await walkDemoSignIn({
          url: url ?? (publicUrl || `http://${host}:${port}`) + basePath,
          companyId,
          login,
        });
        return line(info.userTokens, info);
      },
    }),
  ],
};
