/** Every setting: name, default, unit, check, environment name. One table; flags, environment and file all read it. */
import { availableParallelism } from 'node:os';

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** `sqlite:<folder>`. */
  readonly storage: string;
  /** Context root, without a slash at its end; '' for none. */
  readonly basePath: string;
  /** How clients reach the service (`https://data.example.com`), '' to derive it from host and port. */
  readonly publicUrl: string;
  readonly trustProxy: boolean;
  /** 32 bytes as 64 hex digits, '' for a key file beside the data. */
  readonly secretKey: string;
  /** Earlier secret keys: what was sealed under them can still be opened. */
  readonly previousSecretKeys: readonly string[];
  /** Further headers that carry the token, besides `service-token`. */
  readonly tokenHeaders: readonly string[];
  readonly errorStatus: 'code' | 'ok';
  /** `UTC`, `+07:00` or an IANA name: the zone of times in answers, and of times that come without an offset. */
  readonly zone: string;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly stopTimeMs: number;

  readonly anonymousTokenLifeMs: number;
  readonly userTokenLifeMs: number;
  readonly userTokenLifeMaxMs: number;
  readonly refreshGraceMs: number;
  readonly sessionCacheMs: number;
  /** Tokens whose callers are kept in memory. */
  readonly sessionCacheMax: number;
  readonly loginFlowLifeMs: number;
  readonly providerTimeMs: number;
  readonly historyDays: number;
  readonly logDays: number;

  readonly batchItemsMax: number;
  readonly bodyBytesMax: number;
  readonly valueBytesMax: number;
  readonly depthMax: number;
  readonly logMessageBytesMax: number;
  readonly tablesMax: number;
  readonly columnsMax: number;
  readonly indexesMax: number;
  readonly queryTablesMax: number;
  readonly expressionDepthMax: number;
  readonly parametersMax: number;
  readonly expressionBytesMax: number;
  readonly likePatternMax: number;
  readonly maxRecordDefault: number;
  readonly maxRecordMax: number;
  readonly resultRowsMax: number;
  readonly resultBytesMax: number;
  readonly queryTimeMs: number;
  /** Compiled query shapes kept per data space. */
  readonly shapesMax: number;
  readonly writesQueuedMax: number;
  readonly readsQueuedMax: number;
  readonly writerThreads: number;
  readonly readerThreads: number;
  readonly openFilesMax: number;
  readonly pageCacheBytes: number;
}

export const defaults: Settings = {
  port: 8080,
  host: '127.0.0.1',
  storage: 'sqlite:./data',
  basePath: '',
  publicUrl: '',
  trustProxy: false,
  secretKey: '',
  previousSecretKeys: [],
  tokenHeaders: [],
  errorStatus: 'code',
  zone: 'UTC',
  logLevel: 'info',
  stopTimeMs: 10_000,

  anonymousTokenLifeMs: 24 * 3_600_000,
  userTokenLifeMs: 18_000_000,
  userTokenLifeMaxMs: 30 * 24 * 3_600_000,
  refreshGraceMs: 10_000,
  sessionCacheMs: 3_000,
  sessionCacheMax: 50_000,
  loginFlowLifeMs: 600_000,
  providerTimeMs: 10_000,
  historyDays: 90,
  logDays: 30,

  batchItemsMax: 1_000,
  bodyBytesMax: 8 * 1024 * 1024,
  valueBytesMax: 1024 * 1024,
  depthMax: 32,
  logMessageBytesMax: 64 * 1024,
  tablesMax: 500,
  columnsMax: 250,
  indexesMax: 20,
  queryTablesMax: 16,
  expressionDepthMax: 200,
  parametersMax: 10_000,
  expressionBytesMax: 64 * 1024,
  likePatternMax: 1_000,
  maxRecordDefault: 1_000,
  maxRecordMax: 10_000,
  resultRowsMax: 100_000,
  resultBytesMax: 64 * 1024 * 1024,
  queryTimeMs: 10_000,
  shapesMax: 200,
  writesQueuedMax: 10_000,
  readsQueuedMax: 2_000,
  writerThreads: 4,
  readerThreads: Math.max(1, availableParallelism() - 1),
  openFilesMax: 256,
  pageCacheBytes: 256 * 1024 * 1024,
};
