/** The features that routes call, created by the composition root. */
import type { Logger } from 'pino';
import type { Administration } from '../administration/open.ts';
import type { Auth } from '../auth/open.ts';
import type { Seal } from '../auth/seal.ts';
import type { Settings } from '../config.ts';
import type { DataContext } from '../data/context.ts';
import type { Directory } from '../directory/directory.ts';
import type { CompanyQuotas } from '../directory/quotas.ts';
import type { Environment } from '../environment.ts';
import type { SettingOrigins } from '../load-settings.ts';
import type { Logs } from '../logs/logs.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { ServiceState } from './state.ts';

export interface Services {
  readonly settings: Settings;
  readonly origins: SettingOrigins;
  readonly environment: Environment;
  readonly log: Logger;
  readonly data: DataContext;
  readonly directory: Directory;
  readonly quotas: CompanyQuotas;
  readonly auth: Auth;
  readonly logs: Logs;
  readonly administration: Administration;
  readonly seal: Seal;
  readonly statistics: Statistics;
  /** Changed by the composition root and by the stop. */
  readonly state: ServiceState;
  /** What the pages need to know about the demo; null without it. */
  readonly demo: object | null;
  readonly version: string;
}
