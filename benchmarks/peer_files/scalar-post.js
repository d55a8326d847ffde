// Scalar's handler for POST /v1/pets; Scalar itself has checked the key and the body.
return store.create('Pet', req.body)
