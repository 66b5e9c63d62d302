/**
 * Adding to `Write` and `Strict` (tables.ts), in this order, and who may see what is added
 * (docs/reference/writing.md#adding).
 */
import type { Case } from '../harness/cases.ts';
import { add, failed, gone, kept, read, update, written } from './batches.ts';

export const addCases: readonly Case[] = [
  add({
    name: 'add: for a null id, the service makes one',
    code: 0,
    data: [{ objectId: null, title: 'one' }],
    json: { results: [written(/^Write_[0-9a-f]{16,}$/)] },
    keep: { made: 'results.0.objectId' },
  }),
  add({
    name: 'add: so it does for a missing id',
    code: 0,
    data: [{ title: 'two' }],
    later: 5_000,
    json: { results: [written(/^Write_[0-9a-f]{16,}$/)] },
    keep: { madeLater: 'results.0.objectId' },
  }),
  add({
    name: 'add: a supplied id is kept',
    code: 0,
    data: [{ objectId: 'w1', title: 'kept', amount: '5' }],
    json: { results: [written('w1')] },
    keep: { 'time.w1': 'results.0.serverUpdateTime' },
  }),
  read('add: the record has every system field', 'Write', 'w1', {
    objectId: 'w1',
    CreateTime: null,
    UpdateTime: null,
    serverCreateTime: '{{time.w1}}',
    serverUpdateTime: '{{time.w1}}',
    serverRecordStatus: '1',
    scopeType: '2',
    groupIds: '{{alice.groups}}',
    createUserId: '{{alice.id}}',
    code: null,
    title: 'kept',
    amount: '5',
    note: null,
  }),
  add({
    name: 'add: the client times are stored as sent',
    code: 0,
    data: [
      {
        objectId: 'w2',
        CreateTime: '1390462476516',
        UpdateTime: 'whenever',
        serverCreateTime: null,
        serverUpdateTime: null,
      },
    ],
    json: { results: [written('w2')] },
  }),
  read('add: … and answered so', 'Write', 'w2', { CreateTime: '1390462476516', UpdateTime: 'whenever' }),
  add({
    name: 'add: a numeric client time becomes a text',
    code: 0,
    data: [{ objectId: 'w3', CreateTime: 1390462476516 }],
    json: { results: [written('w3')] },
  }),
  read('add: … and is answered so', 'Write', 'w3', { CreateTime: '1390462476516' }),
  add({
    name: 'add: createUserId is set by the service, whatever is sent',
    code: 0,
    data: [{ objectId: 'w4', createUserId: '{{bob.id}}' }],
  }),
  read('add: … and is the caller', 'Write', 'w4', { createUserId: '{{alice.id}}' }),
  add({
    name: 'add: several records, results in their order',
    code: 0,
    data: [
      { objectId: 'w7', title: '7' },
      { objectId: 'w5', title: '5' },
      { title: 'made' },
      { objectId: 'w6', title: '6' },
    ],
    json: { results: [written('w7'), written('w5'), written(/^Write_/), written('w6')] },
  }),
  add({
    name: 'add: an id with 200 characters',
    code: 0,
    data: [{ objectId: 'x'.repeat(200) }],
    json: { results: [written('x'.repeat(200))] },
  }),
  add({
    name: 'add: an id with other letters, signs and spaces',
    code: 0,
    data: [{ objectId: 'Ключ/ä?&#% 😀\\"\'' }],
    json: { results: [written('Ключ/ä?&#% 😀\\"\'')] },
  }),
  read('add: … which a path can name', 'Write', encodeURIComponent('Ключ/ä?&#% 😀\\"\''), {
    objectId: 'Ключ/ä?&#% 😀\\"\'',
  }),
  add({
    name: 'add: an id sent as a number',
    code: 0,
    data: [{ objectId: 12345 }],
    json: { results: [written('12345')] },
  }),

  // Refused, nothing written
  add({
    name: 'add: an id that is in use',
    code: 131,
    data: [{ objectId: 'n1' }, { objectId: 'w1' }, { objectId: null }],
    has: ['objectId'],
    json: { results: [kept('n1'), failed(131), kept(null)] },
  }),
  gone('add: … and nothing of that batch is there', 'Write', 'n1'),
  add({
    name: 'add: one id twice in a batch',
    code: 131,
    data: [{ objectId: 'n1' }, { objectId: 'n2' }, { objectId: 'n1' }],
    has: ['n1', '"-1"'],
  }),
  gone('add: … and nothing of that batch, either', 'Write', 'n2'),
  add({ name: 'add: a unique value that is in use', code: 0, data: [{ objectId: 'u1', code: 'first' }] }),
  add({
    name: 'add: … is refused',
    code: 131,
    data: [
      { objectId: 'n1', code: 'other' },
      { objectId: 'n2', code: 'first' },
    ],
    has: ['code'],
    json: { results: [kept('n1'), failed(131, /code/)] },
  }),
  gone('add: … with its whole batch', 'Write', 'n1'),
  add({
    name: 'add: a unique value twice in a batch',
    code: 131,
    data: [
      { objectId: 'n1', code: 'same' },
      { objectId: 'n2', code: 'same' },
    ],
    has: ['code', '"-1"'],
  }),
  add({ name: 'add: unique values are case-sensitive', code: 0, data: [{ objectId: 'u2', code: 'First' }] }),
  add({
    name: 'add: an unknown column, naming the nearest one',
    code: 131,
    data: [{ objectId: 'n1', titel: 'x' }],
    has: ['titel', 'title'],
    json: { results: [failed(131, /titel/)] },
  }),
  add({ name: 'add: a column in another case', code: 131, data: [{ objectId: 'n1', Title: 'x' }], has: ['Title'] }),
  add({
    name: 'add: a hidden column',
    code: 131,
    data: [{ objectId: 'n1', _audience: 'a' }],
    json: { results: [failed(131, /_audience/)] },
  }),
  add({
    name: 'add: the column __proto__',
    code: 131,
    raw: '{"objectName":"Write","data":[{"objectId":"n1","__proto__":{"polluted":"yes"}}]}',
    has: ['__proto__'],
  }),
  add({
    name: 'add: the column constructor',
    code: 131,
    data: [{ objectId: 'n1', constructor: 'x' }],
    has: ['constructor'],
  }),
  add({
    name: 'add: an invalid value; the others keep their ids',
    code: 131,
    data: [{ objectId: 'n1' }, { objectId: 'n2', amount: 'many' }, { objectId: 'n3' }],
    has: ['amount', 'many'],
    json: { results: [kept('n1'), failed(131, /amount/), kept('n3')] },
  }),
  add({
    name: 'add: errCode and description are those of the first failing item',
    code: 131,
    data: [
      { objectId: 'n1', amount: 'first wrong' },
      { objectId: 'n2', amount: 'second wrong' },
    ],
    json: { description: /first wrong/, results: [failed(131, /first wrong/), failed(131, /second wrong/)] },
  }),
  gone('add: … and nothing is written', 'Write', 'n1'),
  add({
    name: 'add: an id of 201 characters',
    code: 131,
    data: [{ objectId: 'x'.repeat(201) }],
    has: ['objectId', '200'],
  }),
  add({ name: 'add: an id with a line break', code: 131, data: [{ objectId: 'a\nb' }], has: ['objectId'] }),
  add({ name: 'add: an id with a control character', code: 131, data: [{ objectId: 'a\u0007b' }], has: ['objectId'] }),
  add({ name: 'add: an id that is an object', code: 131, data: [{ objectId: { a: 1 } }], has: ['objectId'] }),
  add({ name: 'add: NUL in an id', code: 131, data: [{ objectId: 'a\u0000b' }], has: ['objectId'] }),
  add({ name: 'add: a lone surrogate in an id', code: 131, data: [{ objectId: 'a\udfff' }], has: ['objectId'] }),
  add({ name: 'add: a record that is not an object', code: 131, data: ['w9'], has: ['data'] }),
  add({
    name: 'add: a record that is null',
    code: 131,
    data: [{ objectId: 'n1' }, null],
    json: { results: [kept('n1'), failed(131)] },
  }),
  add({ name: 'add: data that is not a list', code: 131, data: { objectId: 'n1' }, has: ['data'] }),
  add({ name: 'add: no data', code: 131, has: ['data'] }),
  add({
    name: 'add: an unknown table',
    code: 102,
    table: 'Writes',
    data: [{ title: 'x' }],
    has: ['Writes', /\bWrite\b/],
  }),
  {
    name: 'add: no objectName',
    method: 'POST',
    path: 'data/batch/addData',
    body: { data: [{}] },
    code: 131,
    has: ['objectName'],
  },
  add({
    name: 'add: a required column that is missing',
    code: 131,
    table: 'Strict',
    data: [{ may: 'x' }],
    has: ['must'],
  }),
  add({
    name: 'add: a required column that is null',
    code: 131,
    table: 'Strict',
    data: [{ must: null }],
    has: ['must'],
  }),
  add({
    name: 'add: a required column that is sent',
    code: 0,
    table: 'Strict',
    data: [{ objectId: 's1', must: 'be' }],
    keep: { 'time.s1': 'results.0.serverUpdateTime' },
  }),
  update({
    name: 'update: a required column that is missing keeps its value',
    code: 0,
    table: 'Strict',
    data: [{ objectId: 's1', may: 'x', serverUpdateTime: '{{time.s1}}' }],
    keep: { 'time.s1': 'results.0.serverUpdateTime' },
  }),
  update({
    name: 'update: a required column that is cleared',
    code: 131,
    table: 'Strict',
    data: [{ objectId: 's1', must: null, serverUpdateTime: '{{time.s1}}' }],
    has: ['must'],
  }),
  read('update: … keeps its value', 'Strict', 's1', { must: 'be', may: 'x' }),
];

export const scopeCases: readonly Case[] = [
  ...(
    [
      ['1', '1'],
      [1, '1'],
      ['3', '3'],
      [3, '3'],
      ['2', '2'],
      [null, '2'],
    ] as const
  ).flatMap(([sent, answered], index) => [
    add({
      name: `scope: scopeType ${JSON.stringify(sent)} is accepted`,
      code: 0,
      data: [{ objectId: `sc${index}`, scopeType: sent }],
    }),
    read(`scope: scopeType ${JSON.stringify(sent)} is answered as ${answered}`, 'Write', `sc${index}`, {
      scopeType: answered,
    }),
  ]),
  ...(['0', '4', '-1', 'all', 1.5, true] as const).map((sent) =>
    add({
      name: `scope: scopeType ${JSON.stringify(sent)} is refused`,
      code: 131,
      data: [{ objectId: 'sx', scopeType: sent }],
      has: ['scopeType'],
    }),
  ),
  ...(
    [
      ['{{g1}}', '{{{g1}}}'],
      ['{{{g1}}}', '{{{g1}}}'],
      ['{{g1}},{{g2}}', '{{{g1}},{{g2}}}'],
      ['{{{g1}},{{g2}}}', '{{{g1}},{{g2}}}'],
      [['{{g1}}'], '{{{g1}}}'],
      [['{{g1}}', '{{g2}}'], '{{{g1}},{{g2}}}'],
      ['', '{{alice.groups}}'],
      ['{}', '{{alice.groups}}'],
      [[], '{{alice.groups}}'],
      [null, '{{alice.groups}}'],
    ] as const
  ).flatMap(([sent, answered], index) => [
    add({
      name: `groups: ${JSON.stringify(sent)} is accepted`,
      code: 0,
      data: [{ objectId: `gr${index}`, scopeType: '2', groupIds: sent }],
    }),
    read(`groups: ${JSON.stringify(sent)} is answered as ${answered}`, 'Write', `gr${index}`, { groupIds: answered }),
  ]),
  ...(
    [
      '{{foreign.group}}',
      '{{{g1}},{{foreign.group}}}',
      '999999',
      '-1',
      'x',
      '{{{g1}}',
      '{{g1}};{{g2}}',
      '0',
      '1e3',
      '{{g1}}.5',
    ] as const
  ).map((sent) =>
    add({
      name: `groups: ${sent} is refused`,
      code: 131,
      data: [{ objectId: 'gx', scopeType: '2', groupIds: sent }],
      has: ['groupIds'],
    }),
  ),
  gone('groups: … and nothing is written', 'Write', 'gx'),
  add({
    name: 'groups: a record for all',
    code: 0,
    data: [{ objectId: 'narrow', scopeType: '3' }],
    keep: { 'time.narrow': 'results.0.serverUpdateTime' },
  }),
  update({
    name: 'groups: limited to groups without naming any',
    code: 0,
    data: [{ objectId: 'narrow', scopeType: '2', serverUpdateTime: '{{time.narrow}}' }],
  }),
  read(
    'groups: … is for all groups of the caller',
    'Write',
    'narrow',
    { scopeType: '2', groupIds: '{{alice.groups}}' },
    { as: 'carol' },
  ),
];
