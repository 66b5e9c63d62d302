export function allocatorVariables(memoryBytes?: number): Record<string, string>;
