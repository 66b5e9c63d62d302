/** The variables of a child that gets nothing of ours but what a test gives it: where programs are, and what Node compiled before. */
export const bareVariables = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
