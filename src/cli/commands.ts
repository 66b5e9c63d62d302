/** Every command, in the order of the help; the reference page of the command line is made from this list. */
import { administratorCommand } from './administrator.ts';
import { appCommand } from './app.ts';
import { auditCommand } from './audit.ts';
import { checkCommand } from './check.ts';
import { clientCommand } from './client.ts';
import type { Command } from './command.ts';
import { companyCommand } from './company.ts';
import { demoCommand } from './demo.ts';
import { groupCommand } from './group.ts';
import { moveCommand } from './move.ts';
import { nodesCommand } from './nodes.ts';
import { roleCommand } from './role.ts';
import { serveCommand } from './serve.ts';
import { sessionCommand } from './session.ts';
import { tablesCommand } from './tables.ts';
import { typesCommand } from './types.ts';
import { userCommand } from './user.ts';
import { versionCommand } from './version.ts';

export const commands: readonly Command[] = [
  serveCommand,
  administratorCommand,
  companyCommand,
  appCommand,
  versionCommand,
  tablesCommand,
  typesCommand,
  groupCommand,
  roleCommand,
  userCommand,
  clientCommand,
  sessionCommand,
  auditCommand,
  checkCommand,
  moveCommand,
  nodesCommand,
  demoCommand,
];
