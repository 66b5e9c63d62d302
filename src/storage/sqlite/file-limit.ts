/** How many data spaces may be open at once, by what the system lets this process open. */

/** The database, its log and the log's index. */
const descriptorsPerFile = 3;

/** For sockets, our own files, and what Node opens. */
const descriptorsKept = 1_024;

/** `openFilesMax`, or fewer where the system's limit on open files is lower; at least 8. */
export function filesWithin(openFilesMax: number, descriptorsMax = systemLimit()): number {
  const fitting = Math.floor((descriptorsMax - descriptorsKept) / descriptorsPerFile);
  return Math.max(8, Math.min(openFilesMax, fitting));
}

/** Node raises its limit to the hard one when it starts. */
function systemLimit(): number {
  if (process.platform === 'win32') return Number.POSITIVE_INFINITY;
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  // Else the report looks up names of network peers, which can take seconds.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { hard?: number | string } } };
  const hard = Number(userLimits?.open_files?.hard ?? Number.NaN);
  return Number.isFinite(hard) ? hard : Number.POSITIVE_INFINITY;
}
