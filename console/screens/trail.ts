/** The audit trail of the whole installation. */
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { Trail } from './audit.ts';

export default function InstallationTrail(): VNode {
  return h(Trail, { companyId: null, what: words().audit.whatInstallation });
}
