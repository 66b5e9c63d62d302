/** `rowhouse types`: the tables of a version as TypeScript for apps, as the client's own command writes them. */
import { TypesUsageError, writeTypes } from '../../packages/client/src/types/main.ts';
import { otherEnvironmentNames } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { line } from './answer.ts';
import { action, type Command, id, optional, text, toggle, UsageError } from './command.ts';

const { token: tokenVariable } = otherEnvironmentNames;

export const typesCommand: Command = {
  name: 'types',
  summary: `The tables of a version as TypeScript, for apps. ${tokenVariable} holds the token of a user who may read definitions.`,
  actions: [
    action({
      name: '',
      summary: 'Writes the types, from a service or from a file written by "rowhouse tables pull".',
      settings: 'none',
      flags: {
        url: optional(text('<url>', 'The address of the service, including its context root.')),
        company: optional(id('The company.')),
        app: optional(text('<appId>', 'The application.')),
        version: optional(text('<version>', 'The version, like 1.0.0.')),
        tokenFile: optional(text('<path>', `A file with the token, instead of ${tokenVariable}.`)),
        tables: optional(text('<path>', 'A file written by "rowhouse tables pull", instead of a service.')),
        out: text('<path>', 'The file to write.'),
        check: toggle('Only check whether the file is up to date. Exit status 1 if it is not.'),
      },
      async run(values, { variables }) {
        const company = values.company === undefined ? undefined : String(values.company);
        try {
          const { told, isStale } = await writeTypes({ ...values, company }, variables[tokenVariable]);
          const answer = line(told, { path: values.out, isStale });
          return isStale ? { ...answer, status: 1 } : answer;
        } catch (error) {
          if (error instanceof TypesUsageError) throw new UsageError(error.message);
          throw new ServiceError('malformed', (error as Error).message);
        }
      },
    }),
  ],
};
