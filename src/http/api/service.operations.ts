/** The service itself: the settings in force, and the nodes of a cluster. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import { choice, flag, oneOf, orNullText, orNullWhole, text, whole } from '../../operations/shapes.ts';

export const serviceOperations = administrationOperations({ tag: 'service' })({
  listSettings: {
    method: 'GET',
    path: '/settings',
    summary: 'The settings of the answering process, and the source of each; no secret is included',
    permission: 'setting.read',
    answer: oneOf(
      Type.Array(
        Type.Object({
          name: text('Name of the setting.'),
          value: orNullText(
            'In the form of an environment variable; addresses without user and password; null for a secret.',
          ),
          default: orNullText('Its default; null for a secret.'),
          unit: text('Unit of the value; empty for none.'),
          meaning: text('Its purpose.'),
          source: choice(
            ['default', 'memory', 'file', 'environment', 'flag', 'program'],
            'Its source. `memory`: the default, reduced for little memory.',
          ),
          from: orNullText('The path of the file, the name of the variable or the flag; null for the other sources.'),
        }),
        { description: 'In the order of the reference.' },
      ),
    ),
  },
  listNodes: {
    method: 'GET',
    path: '/nodes',
    summary: 'The current state of the nodes of a cluster',
    permission: 'node.read',
    answer: oneOf(
      Type.Array(
        Type.Object({
          node: text('`host:port`.'),
          role: choice(['coordinator', 'worker'], ''),
          reachable: flag('Whether it responds.'),
          takesSpaces: flag('Whether new data spaces may be created there.'),
          problem: orNullText('Why it does not respond, or what it does not guarantee, with the remedy.'),
          spaces: whole('Data spaces on it.'),
          bytes: orNullWhole('Size of its data spaces; null while it does not respond.'),
        }),
        { description: 'The coordinator first; empty without a cluster.' },
      ),
    ),
  },
});
