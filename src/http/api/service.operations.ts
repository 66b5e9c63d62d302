/** The service itself: the settings in force, and the nodes of a cluster. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import { choice, flag, oneOf, orNullText, orNullWhole, text, whole } from '../../operations/shapes.ts';

export const serviceOperations = administrationOperations({ tag: 'service' })({
  listSettings: {
    method: 'GET',
    path: '/settings',
    summary: 'The settings of the answering process, and where each comes from; no secret is told',
    permission: 'setting.read',
    answer: oneOf(
      Type.Array(
        Type.Object({
          name: text('Name of the setting.'),
          value: orNullText(
            'As a variable of the environment has it; an address without user and password; null for a secret.',
          ),
          default: orNullText('Its default; null for a secret.'),
          unit: text('Unit of the value; empty for none.'),
          meaning: text('What it is for.'),
          source: choice(
            ['default', 'memory', 'file', 'environment', 'flag', 'program'],
            'Where it comes from. `memory`: the default, smaller for the memory that there is.',
          ),
          from: orNullText('The path of the file, the variable or the flag; null for the other sources.'),
        }),
        { description: 'In the order of the reference.' },
      ),
    ),
  },
  listNodes: {
    method: 'GET',
    path: '/nodes',
    summary: 'The nodes of a cluster, asked now',
    permission: 'node.read',
    answer: oneOf(
      Type.Array(
        Type.Object({
          node: text('`host:port`.'),
          role: choice(['coordinator', 'worker'], ''),
          reachable: flag('Whether it responds.'),
          takesSpaces: flag('Whether new data spaces may be made there.'),
          problem: orNullText('Why it does not respond, or what it does not guarantee, with the remedy.'),
          spaces: whole('Data spaces on it.'),
          bytes: orNullWhole('Of its data spaces; null while it does not respond.'),
        }),
        { description: 'The coordinator first; none where the storage is on no cluster.' },
      ),
    ),
  },
});
