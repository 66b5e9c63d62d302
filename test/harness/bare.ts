/** The environment of a child without our own variables: the paths of programs, and Node's compile cache. */
export const bareVariables = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
