/** Pages of a list: order, filters and search are the same on both engines, and nothing is missing or repeated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PageFields, type PageRequest, page } from '../../src/directory/paging.ts';
import { refused, scratch } from './scratch.ts';

const fields: PageFields = {
  id: { column: 'user.id', kind: 'whole', key: true, sortable: true, filterable: true },
  account: { column: 'user.account', kind: 'text', sortable: true, filterable: true, searchable: true },
  email: { column: 'user.email', kind: 'text', nullable: true, sortable: true, searchable: true },
  lastName: { column: 'user.last_name', kind: 'text', sortable: true },
  disabled: { column: 'user.disabled', kind: 'flag', filterable: true },
};

async function people(t: Parameters<typeof scratch>[0]) {
  const { directory, storage, settings } = await scratch(t);
  const accounts = ['delta', 'Bravo', 'alpha', 'char_lie', 'echo%', 'Äpfel', 'back\\slash'];
  for (const [index, account] of accounts.entries()) {
    const email = account === 'echo%' ? null : `${9 - index}@x.io`;
    await directory.users.create({ companyId: 1, account, email, lastName: index % 2 === 0 ? 'Even' : 'odd' });
  }
  await directory.users.create({ companyId: 2, account: 'elsewhere' });
  await directory.users.update(1, 3, { disabled: true });
  const db = storage.directory;
  const users = db.build.selectFrom('user').select(['user.id', 'user.account']).where('user.company_id', '=', 1);
  return (request: PageRequest) => page(db, users, fields, request, { ...settings, listLimitMax: 100 });
}

test('a list is paged, sorted, filtered and searched', async (t) => {
  const ask = await people(t);
  const expected = async (request: PageRequest, ids: readonly number[], count = ids.length) => {
    const { results, ...rest } = await ask(request);
    assert.deepEqual([results.map(({ id }) => id), rest.count], [ids, count], JSON.stringify(request));
  };
  await expected({}, [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual((await ask({ limit: 1 })).results, [{ id: 1, account: 'delta' }]);
  await expected({ offset: 2, limit: 2 }, [3, 4], 7);
  await expected({ offset: 6, limit: 2 }, [7], 7);
  await expected({ offset: 7, limit: 2 }, [], 7);
  await expected({ sort: 'account' }, [3, 7, 2, 4, 1, 5, 6]);
  await expected({ sort: '-account', limit: 3 }, [6, 5, 1], 7);
  await expected({ sort: '-id', limit: 2 }, [7, 6], 7);
  await expected({ sort: 'lastName' }, [1, 3, 5, 7, 2, 4, 6]);
  await expected({ sort: '-lastName' }, [6, 4, 2, 7, 5, 3, 1]);
  await expected({ sort: 'email' }, [5, 7, 6, 4, 3, 2, 1]);
  await expected({ sort: '-email' }, [1, 2, 3, 4, 6, 7, 5]);
  await expected({ filter: { disabled: 'true' } }, [3]);
  await expected({ filter: { disabled: 'false', id: '4' } }, [4]);
  await expected({ filter: { account: 'alpha' } }, [3]);
  await expected({ filter: { account: 'ALPHA' } }, []);
  await expected({ filter: { account: "' or 1=1 --" } }, []);
  await expected({ search: 'A', sort: 'account' }, [3, 7, 2, 4, 1]);
  await expected({ search: 'X.IO', limit: 2 }, [1, 2], 6);
  await expected({ search: '%' }, [5]);
  await expected({ search: '_' }, [4]);
  await expected({ search: '\\' }, [7]);
  await expected({ search: 'Ä' }, [6]);
  await expected({ search: 'ä' }, []);
  await expected({ search: 'a', filter: { disabled: 'true' } }, [3]);
});

test('unsupported requests to a list are refused, naming the supported ones', async (t) => {
  const ask = await people(t);
  await refused(ask({ sort: 'password_hash' }), 'malformed', 'expected one of id, account, email, lastName, got');
  await refused(ask({ sort: '-disabled' }), 'malformed', 'got "disabled"');
  await refused(ask({ sort: 'toString' }), 'malformed', 'got "toString"');
  await refused(ask({ filter: { email: 'x' } }), 'malformed', 'expected one of id, account, disabled, got');
  await refused(ask({ filter: { id: '1.5' } }), 'malformed', 'id: expected a whole number, got "1.5"');
  await refused(ask({ filter: { disabled: 'maybe' } }), 'malformed', 'expected true or false');
  await refused(
    ask({ filter: { account: '\0' } }),
    'malformed',
    'account: expected text without NUL characters and unpaired surrogates',
  );
  await refused(ask({ search: 'x'.repeat(201) }), 'malformed', 'at most 200 characters');
  await refused(ask({ search: '\ud800' }), 'malformed', 'search');
  for (const limit of [0, -1, 1.5, 101, Number.NaN]) {
    await refused(ask({ limit }), 'malformed', 'from 1 to 100 (setting listLimitMax), got');
  }
  for (const offset of [-1, 0.5, 2 ** 60]) await refused(ask({ offset }), 'malformed', 'offset');
});
