export const heapFlags: readonly string[];
export function allocatorVariables(memoryBytes?: number): Record<string, string>;
