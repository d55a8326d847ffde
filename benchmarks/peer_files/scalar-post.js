// Handler for Scalar: POST /v1/pets. Scalar has already checked the key and the body.
return store.create('Pet', req.body)
