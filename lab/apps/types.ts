/** `npm run client:types`: how long the compiler takes to check the types of many tables. */
import { parseArgs } from 'node:util';
import { weighTypes } from './weigh-types.ts';

const { values } = parseArgs({
  options: {
    tables: { type: 'string', default: '200' },
    columns: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(
    'npm run client:types -- [--tables 200] [--columns 20]: what checking the types of so many tables takes.',
  );
} else {
  const { instantiations, checkMs, totalMs } = weighTypes(Number(values.tables), Number(values.columns));
  const program = `${values.tables} tables of ${values.columns} columns, each read, queried and updated`;
  console.log(`${program}: checked in ${checkMs} ms, ${totalMs} ms in all, ${instantiations} instantiations.`);
}
