const { limit = "10", page = "1", q = "" } = req.query;
const matches = store
  .list("Patient")
  .filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
return {
  patients: matches.slice((page - 1) * limit, page * limit),
  page: Number(page),
  pages: Math.ceil(matches.length / limit),
  total: matches.length,
};
