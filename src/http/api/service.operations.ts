/** The service itself: the settings in force, and the nodes of a cluster. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import {
  choice,
  envelope,
  filter,
  flag,
  listOf,
  listQuery,
  oneOf,
  orNullText,
  orNullWhole,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

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
  listDataSpaces: {
    method: 'GET',
    path: '/nodes/spaces',
    summary: 'The data spaces of a cluster, each with its node, asked now, by their numbers',
    permission: 'node.read',
    query: Type.Omit(listQuery({ node: filter('node, as `host:port`'), companyId: filter('company') }), ['sort']),
    answer: listOf(
      Type.Object({
        spaceId: whole('Number of the data space.'),
        node: text('`host:port`.'),
        companyId: orNullWhole('Whose it is; null where the directory does not know it.'),
        appId: orNullText('Likewise.'),
        versions: Type.Array(Type.String(), { description: 'Versions that have their tables in it.' }),
        bytes: orNullWhole('With indexes and history; null while the node does not respond.'),
      }),
    ),
  },
  listMoves: {
    method: 'GET',
    path: '/nodes/moves',
    summary: 'The last moves of data spaces that administrators have begun, the latest first',
    permission: 'node.read',
    answer: oneOf(
      Type.Array(
        Type.Object({
          spaceId: orNullWhole('Number of the data space; null for a rebalancing.'),
          to: orNullText('The node that is to have it, as `host:port`; null for a rebalancing.'),
          beginTime: time('When it began.'),
          state: choice(['running', 'done', 'failed'], ''),
          done: whole('What has been moved.'),
          of: whole('What there is to move, as far as is known.'),
          unit: choice(['bytes', 'data spaces'], 'Of both.'),
          error: orNullText('Why it failed.'),
        }),
        { description: 'At most 20; each is kept for a day.' },
      ),
    ),
  },
  moveDataSpace: {
    method: 'POST',
    path: '/nodes/moves',
    summary: 'Move a data space to another node while it is in use; answered when the move has begun',
    permission: 'node.move',
    body: Type.Object({
      spaceId: whole('Number of the data space.', { minimum: 1 }),
      to: text('The node that is to have it, as `host:port`.'),
    }),
    answer: envelope({}),
  },
  rebalanceNodes: {
    method: 'POST',
    path: '/nodes/rebalance',
    summary: 'Spread the data spaces over the workers while they are in use; answered when that has begun',
    permission: 'node.move',
    answer: oneOf(
      Type.Object({ isBalanced: flag('Whether the data spaces are balanced already, so that none is moved.') }),
    ),
  },
});
